// Numbers as the page shows them.

export const count = (n) => n.toLocaleString("en");

export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

// A number in a few significant digits, with a proper minus sign.
export const short = (x, digits = 4) => String(Number(x.toPrecision(digits))).replace("-", "−");
