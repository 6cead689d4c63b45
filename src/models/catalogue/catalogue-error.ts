import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { jsonPath } from '../../platform/json-api/api-error.ts'

/** A file of the catalogue: one provider, or an array of them. */
export interface CatalogueFile {
  /** The path, or the name of a file of the built-in data. */
  readonly name: string
  readonly text: string
}

/** One mistake. */
interface CatalogueProblem {
  readonly fileName: string
  /** Counted from 1. */
  readonly line: number
  /** JSON path such as `[3].models[5].type`; empty for the whole file. */
  readonly field: string
  readonly message: string
}

/** A mistake whose line is not determined yet. */
export interface CatalogueMistake {
  /** The file; its text is JSON. */
  readonly file: CatalogueFile
  readonly path: JsonPath
  readonly message: string
}

/** Further problems are only counted: they are usually one mistake repeated. */
const maxListedProblems = 20

/** An unusable catalogue. The message lists the first mistakes with file, line and field. */
export class CatalogueError extends Error {
  /** The problems that the message lists. */
  readonly problems: readonly CatalogueProblem[]

  constructor(
    problems: readonly CatalogueProblem[],
    /** `unlisted`: the number of further problems. */
    { unlisted = 0, ...options }: ErrorOptions & { readonly unlisted?: number } = {},
  ) {
    super(describe(problems, unlisted), options)
    this.name = 'CatalogueError'
    this.problems = problems
  }
}

/** Determines the lines of the listed mistakes only. */
export function catalogueError(mistakes: readonly CatalogueMistake[]): CatalogueError {
  const listed = mistakes.slice(0, maxListedProblems)
  const problems = [...Map.groupBy(listed, ({ file }) => file)].flatMap(([file, inFile]) => {
    return locate(file, inFile)
  })
  return new CatalogueError(problems, { unlisted: mistakes.length - listed.length })
}

function locate(
  { name: fileName, text }: CatalogueFile,
  mistakes: readonly CatalogueMistake[],
): readonly CatalogueProblem[] {
  const lines = linesOf(
    text,
    mistakes.map(({ path }) => path),
  )
  return mistakes.map(({ path, message }, index) => {
    return { fileName, line: lines[index] ?? 1, field: jsonPath(path), message }
  })
}

function describe(problems: readonly CatalogueProblem[], unlisted: number): string {
  const lines = problems.map(({ fileName, line, field, message }) => {
    return `${fileName}:${line}: ${field === '' ? '' : `${field}: `}${message}`
  })
  if (unlisted > 0) lines.push(`and ${unlisted} more`)
  return `The model catalogue cannot be used.\n${lines.join('\n')}`
}

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
