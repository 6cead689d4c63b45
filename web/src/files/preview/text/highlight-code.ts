import { inThread } from './in-thread.ts'
import { type CodeBlock, codeGroups } from './text-task.ts'

interface ShownCode extends CodeBlock {
  readonly node: Text
}

/**
 * Colours code without adding elements: the browser paints ranges (CSS Custom Highlight API). The text stays one
 * node, which is quick to lay out and cannot contain injected elements. The colours are in code-colors.css.
 */
export async function highlightCode(blocks: readonly ShownCode[], signal: AbortSignal) {
  // Firefox before 140 shows the text without colours.
  if (!('highlights' in CSS) || signal.aborted) return
  const asked = blocks.map(({ text, language }) => ({ text, language }))
  const found = await inThread('code', asked, signal)
  if (signal.aborted) return
  for (const group of codeGroups) {
    const highlight = CSS.highlights.get(group) ?? new Highlight()
    CSS.highlights.set(group, highlight)
    const ranges = blocks.flatMap(({ node }, at) => rangesIn(node, found[at]?.[group] ?? []))
    for (const range of ranges) highlight.add(range)
    signal.addEventListener('abort', () => {
      for (const range of ranges) highlight.delete(range)
    })
  }
}

function rangesIn(node: Text, places: readonly number[]): StaticRange[] {
  return Array.from({ length: places.length / 2 }, (_, at) => {
    const [startOffset = 0, endOffset = 0] = places.slice(at * 2, at * 2 + 2)
    return new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset })
  })
}
