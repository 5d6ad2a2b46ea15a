// A picture of the page as a file: SVG with the present colours, or PNG, each with its caption.

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "paint-order"];

export function save(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The styles of the page become attributes, so that any program draws the same picture; the caption stands below it.
function standalone(svg, caption) {
  const copy = svg.cloneNode(true);
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  });
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  const lines = caption.match(/.{1,80}(\s|$)/g) ?? [];
  const [back, ink] = ["background-color", "color"].map((name) => getComputedStyle(document.body).getPropertyValue(name));
  const made = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const total = height + 20 * lines.length + 12;
  copy.prepend(made("rect", { width, height: total, fill: back }));
  lines.forEach((line, i) => {
    const node = made("text", { x: 8, y: height + 18 + 20 * i, fill: ink, "font-family": "sans-serif", "font-size": "13px" });
    node.textContent = line.trim();
    copy.append(node);
  });
  for (const name of ["id", "tabindex", "class", "role", "aria-labelledby", "aria-describedby"]) copy.removeAttribute(name);
  for (const [key, value] of Object.entries({ width, height: total, viewBox: `0 0 ${width} ${total}` })) copy.setAttribute(key, value);
  return { width, height: total, source: new XMLSerializer().serializeToString(copy) };
}

export async function saveFigure(svg, name, type, caption) {
  const { width, height, source } = standalone(svg, caption);
  const blob = new Blob([source], { type: "image/svg+xml" });
  if (type === "svg") {
    save(`${name}.svg`, blob);
    return;
  }
  const image = new Image(width, height);
  image.src = URL.createObjectURL(blob);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((picture) => save(`${name}.png`, picture), "image/png");
}
