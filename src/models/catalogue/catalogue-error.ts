import { type JsonPath, lineOf, offsetOf, pathText } from './json-scanner.ts'

/** A file of the catalogue: one provider, or an array of them. */
export interface CatalogueFile {
  /** As a person knows it: the path, or the name of a file of the built-in data. */
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

/** More than these are not told: they are one mistake made many times. */
const maxToldProblems = 20

/** A catalogue that can't be used. The message tells every mistake with file, line and field. */
export class CatalogueError extends Error {
  readonly problems: readonly CatalogueProblem[]

  constructor(problems: readonly CatalogueProblem[], options?: ErrorOptions) {
    super(describe(problems), options)
    this.name = 'CatalogueError'
    this.problems = problems
  }
}

/** A mistake in the value at a path of a file whose text is JSON. */
export function problemAt(file: CatalogueFile, path: JsonPath, message: string): CatalogueProblem {
  const line = lineOf(file.text, offsetOf(file.text, path))
  return { fileName: file.name, line, field: pathText(path), message }
}

function describe(problems: readonly CatalogueProblem[]): string {
  const lines = problems.slice(0, maxToldProblems).map(({ fileName, line, field, message }) => {
    return `${fileName}:${line}: ${field === '' ? '' : `${field}: `}${message}`
  })
  const untold = problems.length - lines.length
  if (untold > 0) lines.push(`and ${untold} more`)
  return `The model catalogue can't be used.\n${lines.join('\n')}`
}
