import { jsonPath } from '../../json-api/json-path.ts'
import { type JsonPath, JsonSyntaxError, lineOf, offsetsOf } from './json-scanner.ts'

/** A file of the catalogue: one provider, or an array of them. */
export interface CatalogueFile {
  /** The path, or the name of a file of the built-in data. */
  readonly name: string
  readonly text: string
}

/** One mistake. */
export interface CatalogueProblem {
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
const maxToldProblems = 20

export interface CatalogueErrorOptions extends ErrorOptions {
  /** The number of problems that are not listed. */
  readonly untold?: number
}

/** An unusable catalogue. The message lists the first mistakes with file, line and field. */
export class CatalogueError extends Error {
  /** The problems that the message lists. */
  readonly problems: readonly CatalogueProblem[]

  constructor(
    problems: readonly CatalogueProblem[],
    { untold = 0, ...options }: CatalogueErrorOptions = {},
  ) {
    super(describe(problems, untold), options)
    this.name = 'CatalogueError'
    this.problems = problems
  }
}

/** Determines the lines of the listed mistakes only. */
export function catalogueError(mistakes: readonly CatalogueMistake[]): CatalogueError {
  const told = mistakes.slice(0, maxToldProblems)
  const problems = [...Map.groupBy(told, ({ file }) => file)].flatMap(([file, inFile]) => {
    return locate(file, inFile)
  })
  return new CatalogueError(problems, { untold: mistakes.length - told.length })
}

function locate(
  file: CatalogueFile,
  mistakes: readonly CatalogueMistake[],
): readonly CatalogueProblem[] {
  const paths = mistakes.map(({ path }) => path)
  try {
    const offsets = offsetsOf(file.text, paths)
    return mistakes.map(({ path, message }, index) => {
      const line = lineOf(file.text, offsets[index] ?? 0)
      return { fileName: file.name, line, field: jsonPath(path), message }
    })
  } catch (error) {
    // JSON.parse accepted the text: it is nested deeper than the scanner supports.
    if (!(error instanceof JsonSyntaxError)) throw error
    return [syntaxProblem(file, error)]
  }
}

/** The syntax error that the scanner found, and its position. */
export function syntaxProblem(
  { name, text }: CatalogueFile,
  { message, offset }: JsonSyntaxError,
): CatalogueProblem {
  return { fileName: name, line: lineOf(text, offset), field: '', message }
}

function describe(problems: readonly CatalogueProblem[], untold: number): string {
  const lines = problems.map(({ fileName, line, field, message }) => {
    return `${fileName}:${line}: ${field === '' ? '' : `${field}: `}${message}`
  })
  if (untold > 0) lines.push(`and ${untold} more`)
  return `The model catalogue cannot be used.\n${lines.join('\n')}`
}
