import { jsonPath } from '../../platform/json-api/api-error.ts'
import { type JsonPath, linesOf } from './json-lines.ts'

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
