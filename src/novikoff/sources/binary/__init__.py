"""Tables and arrays that are not text: Parquet, Arrow and Feather; npz."""
