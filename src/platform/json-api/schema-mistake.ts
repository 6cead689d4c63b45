import type { z } from 'zod'
import { ApiError } from './api-error.ts'
import { jsonPath } from './json-path.ts'

type Issue = z.core.$ZodIssue

/** Messages quote input, which may be long. */
const maxLength = 300

/** The first error in a client's input as a 400 with the field. */
export function schemaMistake(error: z.core.$ZodError): ApiError {
  const issue = error.issues[0]
  if (issue === undefined) return new ApiError(400, 'The request does not match the schema.')
  const { message, path } = deepest(issue, [])
  const field = clip(jsonPath(path))
  return new ApiError(400, clip(message), {
    code: 'invalid_field',
    field: field === '' ? undefined : field,
    cause: error,
  })
}

interface Finding {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

/**
 * For a union, the error of the variant that matched furthest, which is most likely the one that the
 * client meant. For unknown fields, the path of the first one.
 */
function deepest(issue: Issue, above: readonly PropertyKey[]): Finding {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return { message: 'Unknown field.', path: [...path, ...issue.keys.slice(0, 1)] }
  }
  if (issue.code !== 'invalid_union') return { message: issue.message, path }
  let found: Finding = { message: issue.message, path }
  for (const [first] of issue.errors) {
    if (first === undefined) continue
    const finding = deepest(first, path)
    if (finding.path.length > found.path.length) found = finding
  }
  return found
}

function clip(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
