import { ApiError } from './api-error.ts'
import type { Route } from './route.ts'

export interface FoundRoute {
  readonly route: Route
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** The routes of one path, by their methods. */
interface Resource {
  readonly template: readonly string[]
  readonly routes: Map<string, Route>
}

/** Characters after decoding. */
const maxParameterLength = 1_024

/**
 * Returns a function that finds the route of a request.
 *
 * It throws an ApiError: 400 for an invalid percent escape, 404 for an unknown path, 405 for a method that the path does
 * not have (RFC 9110 section 15.5.6), 414 for a parameter that is too long.
 */
export function routeFinder(
  routes: readonly Route[],
): (method: string, rawPath: string) => FoundRoute {
  const resources = resourcesOf(routes)
  return (method, rawPath) => {
    const segments = decodedSegments(rawPath)
    const allowed = new Set<string>()
    for (const { template, routes: byMethod } of resources) {
      const params = parametersOf(template, segments)
      if (params === undefined) continue
      const route = byMethod.get(method === 'HEAD' ? 'GET' : method)
      if (route !== undefined) return { route, params }
      for (const each of byMethod.keys()) allowed.add(each)
    }
    throw notServed(method, allowed)
  }
}

function notServed(method: string, allowed: Set<string>): ApiError {
  if (allowed.size === 0) return new ApiError(404, 'Not found.')
  if (allowed.has('GET')) allowed.add('HEAD')
  return new ApiError(405, `The method ${method} is not allowed here.`, {
    headers: { allow: [...allowed].sort().join(', ') },
  })
}

/** Sorts fixed segments before parameters so that `/connections/reorder` is found before `/connections/{id}`. */
function resourcesOf(routes: readonly Route[]): readonly Resource[] {
  const resources = [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => ({
    template: path.split('/'),
    routes: new Map(ofPath.map((route) => [route.method, route])),
  }))
  return resources.sort((a, b) => compareRanks(a.template, b.template))
}

/** Compares segment by segment; a template that is a prefix of the other comes first. */
function compareRanks(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((segment, index) => rankOf(segment) !== rankOf(b[index] ?? ''))
  return differs < 0 ? a.length - b.length : rankOf(a[differs] ?? '') - rankOf(b[differs] ?? '')
}

function rankOf(segment: string): 0 | 1 | 2 {
  if (!segment.startsWith('{')) return 0
  return isRest(segment) ? 2 : 1
}

function isRest(segment: string): boolean {
  return segment.endsWith('+}')
}

/** Decoded once, segment by segment: an escaped slash is part of a segment. */
function decodedSegments(rawPath: string): readonly string[] {
  try {
    return rawPath.split('/').map(decodeURIComponent)
  } catch (cause) {
    throw new ApiError(400, 'The path has an invalid percent escape.', { cause })
  }
}

/** Undefined if the path does not match the template. */
function parametersOf(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const hasRest = isRest(template.at(-1) ?? '')
  if (hasRest ? segments.length < template.length : segments.length !== template.length) {
    return undefined
  }
  const params: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? ''
    if (isRest(expected)) params[expected.slice(1, -2)] = segments.slice(index).join('/')
    else if (expected.startsWith('{')) params[expected.slice(1, -1)] = boundedParameter(segment)
    else if (expected !== segment) return undefined
  }
  return params
}

function boundedParameter(text: string): string {
  if (text.length > maxParameterLength) throw new ApiError(414, 'The path is too long.')
  return text
}
