"""What keeps people from using a page: controls without names, small targets, faint texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAULTS = """() => {
  const found = [];
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const said = (e) => e && e.outerHTML.slice(0, 90);
  const nameOf = (e) => e.ariaLabel || (e.getAttribute("aria-labelledby") ?? "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join("").trim()
    || [...(e.labels ?? [])].map((l) => l.textContent.trim()).join("") || e.textContent.trim();
  const controls = [...document.querySelectorAll("a, button, input, select, summary, [tabindex]")];
  for (const e of controls.filter(seen)) {
    if (!nameOf(e)) found.push(`no name: ${said(e)}`);
    const touched = e.closest("label") ?? e;
    const box = touched.getBoundingClientRect();
    const least = matchMedia("(pointer: coarse)").matches ? 44 : 24;
    const isTarget = e.matches("a, button, input, select, summary") && !e.matches("p a");
    if (isTarget && (box.height < least - 0.5 || box.width < least - 0.5))
      found.push(`${box.width.toFixed(0)} × ${box.height.toFixed(0)} pixels: ${said(e)}`);
  }
  for (const e of document.querySelectorAll("[role=img], img, canvas"))
    if (seen(e) && !nameOf(e) && !e.alt) found.push(`no name: ${said(e)}`);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`twice: #${id}`);
  for (const [one, n] of [["h1", 1], ["main", 1]])
    if (document.querySelectorAll(one).length !== n) found.push(`not ${n} <${one}>`);
  if (!document.documentElement.lang) found.push("no language");
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((e) => Number(e.tagName[1]));
  levels.forEach((level, i) => { if (level > (levels[i - 1] ?? 0) + 1) found.push(`h${level}`); });

  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((numbers(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    const words = texts.currentNode.textContent.trim();
    if (!words || !seen(e) || e.closest(":disabled, script, style, .sign")) continue;
    const style = getComputedStyle(e);
    const inPicture = e.namespaceURI.endsWith("svg");
    const [a, b] = [light(inPicture ? style.fill : style.color), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const least = words.length === 1 && style.fontWeight >= 600 ? 3 : 4.5; // a sign, or a text
    if (ratio < least) found.push(`contrast ${ratio.toFixed(2)}: “${words}” ${said(e)}`);
  }
  return [...new Set(found)];
}"""


def faults(page: Page) -> list[str]:
    """The faults of the page as it is shown; for touch, targets must have 44 pixels."""
    found: list[str] = page.evaluate(FAULTS)
    return found
