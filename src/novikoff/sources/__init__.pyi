from novikoff.sources.arrays import block as block
from novikoff.sources.arrays import classes_block as classes_block
from novikoff.sources.arrays import rows_of as rows_of
from novikoff.sources.generated import few_relevant as few_relevant
from novikoff.sources.generated import forcing_disjunction as forcing_disjunction
from novikoff.sources.generated import forcing_winnow1 as forcing_winnow1
from novikoff.sources.generated import forcing_winnow2 as forcing_winnow2
from novikoff.sources.generated import separable as separable
from novikoff.sources.generated import spamassassin as spamassassin
from novikoff.sources.generated import tight as tight
from novikoff.sources.numbered import Numbered as Numbered
from novikoff.sources.open import Data as Data
from novikoff.sources.open import open_files as open_files
from novikoff.sources.open import read as read
from novikoff.sources.read_options import ReadOptions as ReadOptions
from novikoff.sources.read_options import TextRule as TextRule
from novikoff.stream.labels import LabelsAsClasses as LabelsAsClasses
from novikoff.stream.labels import LabelsAsSigns as LabelsAsSigns

__all__: list[str]
