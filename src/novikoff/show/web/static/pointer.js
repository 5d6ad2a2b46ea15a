// Mouse, touch and keys on the plane: placing, dragging and deleting points.

import { cursor, radius } from "./plane.js";
import { dim, state } from "./state.js";
import { onPlane, scaleFor, snapped } from "./view.js";

const canvas = document.getElementById("plane");
const chosenLabel = () => Number(document.querySelector('input[name="sign"]:checked').value);
const currentScale = () => scaleFor(canvas.clientWidth, canvas.clientHeight);

// Call `changed` when the points have changed, `follow` while one is dragged, `redraw` when only the picture changes, `refuse` with
// an error message.
export function listen({ changed, follow, redraw, refuse }) {
  let dragging = null; // the press on a point, which drags it
  let pressed = null;  // the press on an empty place, which puts a point there unless it turns out to be a swipe

  function placePoint(at, label) {
    if (dim() > 2) {
      refuse(state.table ? "To place points, choose two columns above." : "These points have more than two columns: press Clear to place your own.");
      return;
    }
    state.points.push(onGrid(at));
    state.labels.push(label);
    state.selected = state.points.length - 1;
    changed();
  }

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  canvas.addEventListener("pointerdown", (event) => {
    const { offsetX: x, offsetY: y } = event;
    const hit = nearest(x, y, radius() + (event.pointerType === "touch" ? 14 : 5));
    cursor.shown = false;
    if (hit >= 0) {
      state.selected = hit;
      dragging = { id: event.pointerId, moved: false, from: [x, y] };
      canvas.setPointerCapture(event.pointerId);
      redraw();
      return;
    }
    const other = event.shiftKey || event.button === 2;
    pressed = { id: event.pointerId, from: [x, y], label: other ? -chosenLabel() : chosenLabel() };
  });

  // A finger on a point drags it; elsewhere it scrolls the page.
  canvas.addEventListener("touchstart", (event) => {
    const box = canvas.getBoundingClientRect();
    const { clientX, clientY } = event.touches[0];
    if (nearest(clientX - box.left, clientY - box.top, radius() + 14) >= 0) event.preventDefault();
  }, { passive: false });

  canvas.addEventListener("pointermove", (event) => {
    if (!dragging || event.pointerId !== dragging.id || dim() > 2) return;
    const { offsetX: x, offsetY: y } = event;
    if (!dragging.moved && Math.hypot(x - dragging.from[0], y - dragging.from[1]) < 3) return;
    dragging.moved = true;
    state.points[state.selected] = onGrid(currentScale().toPlane(x, y));
    follow();
  });

  const drop = (event) => {
    const { offsetX: x, offsetY: y } = event;
    const was = pressed;
    pressed = null;
    if (event.type === "pointerup" && was?.id === event.pointerId && Math.hypot(x - was.from[0], y - was.from[1]) < 6) {
      placePoint(currentScale().toPlane(...was.from), was.label);
      return;
    }
    if (!dragging || event.pointerId !== dragging.id) return;
    const { moved } = dragging;
    dragging = null;
    if (moved) changed({ moved: true });
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);

  canvas.addEventListener("keydown", (event) => {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const scale = currentScale();
    const unit = (scale.right - scale.left) / 50;
    if (arrow && event.shiftKey && state.selected >= 0 && dim() <= 2) {
      const [x, y] = onPlane(state.points[state.selected]);
      state.points[state.selected] = onGrid([x + arrow[0] * unit, y + arrow[1] * unit]);
      changed({ moved: true });
    } else if (arrow) {
      cursor.at = cursor.shown ? [cursor.at[0] + arrow[0] * unit, cursor.at[1] + arrow[1] * unit] : [(scale.left + scale.right) / 2, (scale.bottom + scale.top) / 2];
      cursor.shown = true;
      redraw();
    } else if ((event.key === "+" || event.key === "=" || event.key === "-" || event.key === "−") && cursor.shown) {
      placePoint(cursor.at, event.key === "+" || event.key === "=" ? 1 : -1);
    } else if (event.key === "Enter" && cursor.shown) {
      state.selected = nearest(...scale.toPixel(cursor.at), Infinity);
      redraw();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      removeSelected(changed);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("blur", () => {
    cursor.shown = false;
    redraw();
  });
}

export function removeSelected(changed) {
  if (state.selected < 0) return;
  state.points.splice(state.selected, 1);
  state.labels.splice(state.selected, 1);
  state.selected = -1;
  changed();
}

// The point of the grid nearest to a place in the plane.
function onGrid([x, y]) {
  const scale = currentScale();
  const point = [snapped(x, scale.right - scale.left), snapped(y, scale.top - scale.bottom)];
  return dim() === 1 ? point.slice(0, 1) : point;
}

// The point nearest to a pixel, if it is within this distance; otherwise -1.
function nearest(x, y, within) {
  const scale = currentScale();
  let [best, least] = [-1, within];
  state.points.forEach((point, i) => {
    const [px, py] = scale.toPixel(onPlane(point));
    const far = Math.hypot(px - x, py - y);
    if (far <= least) [best, least] = [i, far];
  });
  return best;
}
