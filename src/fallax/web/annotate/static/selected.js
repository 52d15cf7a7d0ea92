// What is selected of a text, by mouse or by touch, as offsets that count code points.

/** How many code points of the text in a box stand before a place; the small numbers of marks are not of the text. */
function before(box, node, offset) {
  const range = new Range();
  range.selectNodeContents(box);
  range.setEnd(node, offset);
  const part = range.cloneContents();
  for (const count of part.querySelectorAll("sup")) count.remove();
  return Array.from(part.textContent).length;
}

/** [start, end] of what is selected in the box, or null. A selection that goes beyond the box ends at its edge. */
export function selectedIn(box) {
  const selection = getSelection();
  if (!box || selection.isCollapsed || !(box.contains(selection.anchorNode) || box.contains(selection.focusNode))) return null;
  const range = selection.getRangeAt(0).cloneRange();
  if (!box.contains(range.startContainer)) range.setStart(box, 0);
  if (!box.contains(range.endContainer)) range.setEnd(box, box.childNodes.length);
  const [start, end] = [before(box, range.startContainer, range.startOffset), before(box, range.endContainer, range.endOffset)];
  return start < end ? [start, end] : null;
}
