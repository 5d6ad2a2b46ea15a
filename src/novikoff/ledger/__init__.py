"""The ledger of mistakes, the rows kept for it, and its readings: final, average and vote."""
