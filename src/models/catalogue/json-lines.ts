import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** Line numbers in JSON text, counted from 1. `JSON.parse`, which reads the values, has none. */

export type JsonPath = readonly (string | number)[]

/**
 * The lines of the values at these paths. If a path is not in the text, such as a missing field,
 * its nearest enclosing value is used. The last of repeated names counts, as in JSON.parse.
 */
export function linesOf(text: string, paths: readonly JsonPath[]): readonly number[] {
  const whole = treeOf(text)
  return paths.map((path) => lineAt(text, whole === undefined ? 0 : nearest(whole, path).offset))
}

/** The first syntax error in text that JSON.parse rejects. */
export function syntaxMistake(text: string): { readonly line: number; readonly message: string } {
  const errors: ParseError[] = []
  treeOf(text, errors)
  const [first] = errors
  if (first === undefined) return { line: 1, message: 'invalid JSON' }
  // CommaExpected, InvalidEscapeCharacter …
  const words = printParseErrorCode(first.error)
    .replaceAll(/\B[A-Z]/g, ' $&')
    .toLowerCase()
  return { line: lineAt(text, first.offset), message: `invalid JSON: ${words}` }
}

/** Undefined for empty text, and for text nested too deeply for the recursive parser. */
function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function nearest(node: Node, [step, ...rest]: JsonPath): Node {
  const inner =
    typeof step === 'number'
      ? node.children?.[step]
      : node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
  return step === undefined || inner === undefined ? node : nearest(inner, rest)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
