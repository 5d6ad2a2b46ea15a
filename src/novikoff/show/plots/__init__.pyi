from novikoff.show.plots.axes import NoMatplotlib as NoMatplotlib
from novikoff.show.plots.axes import expect_format as expect_format
from novikoff.show.plots.axes import new_axes as new_axes
from novikoff.show.plots.axes import new_panels as new_panels
from novikoff.show.plots.axes import save as save
from novikoff.show.plots.axes import svg as svg
from novikoff.show.plots.curves import experiment as experiment
from novikoff.show.plots.curves import margins as margins
from novikoff.show.plots.curves import mistakes as mistakes
from novikoff.show.plots.curves import precision_recall as precision_recall
from novikoff.show.plots.curves import readings as readings
from novikoff.show.plots.curves import reliability as reliability
from novikoff.show.plots.curves import roc as roc
from novikoff.show.plots.curves import sandwich as sandwich
from novikoff.show.plots.planes import Fitted as Fitted
from novikoff.show.plots.planes import certificate as certificate
from novikoff.show.plots.planes import constant as constant
from novikoff.show.plots.planes import estimator as estimator
from novikoff.show.plots.planes import fitted as fitted
from novikoff.show.plots.planes import plane as plane
from novikoff.show.plots.planes import regions as regions
from novikoff.show.plots.planes import turning as turning
from novikoff.show.plots.planes import update as update

__all__: list[str]
