/**
 * Methods by path, to distinguish a wrong method (405, RFC 9110 section 15.5.6) from a wrong path.
 */
export class RouteTable {
  readonly #routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()

  /** @param path in Fastify's syntax: `/a/:id/*`, without regular expressions. */
  add(path: string, methods: readonly string[]): void {
    const known = this.#routes.get(path)
    const route = known ?? { pattern: patternOf(path), methods: new Set<string>() }
    for (const method of methods) route.methods.add(method)
    this.#routes.set(path, route)
  }

  /** The methods of a request target, sorted; none for a path without routes. */
  methodsOf(target: string): readonly string[] {
    const [path = ''] = target.split('?', 1)
    const methods = new Set<string>()
    for (const route of this.#routes.values()) {
      if (route.pattern.test(path)) for (const method of route.methods) methods.add(method)
    }
    return [...methods].sort()
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll(/:[A-Za-z]\w*/g, '[^/]+')
  return new RegExp(`^${source}$`)
}
