/** The same object with some of its methods replaced. */
export function replacing<T extends object>(target: T, calls: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(calls, name) ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
