/** Watches the calls of an object (`observed`). */
export interface Observer {
  /** Runs a call and returns what `work` returns. */
  call<Result>(name: string, given: readonly unknown[], work: () => Result): Result
  /** The observer of the object that a call returns, asked before the call. Undefined: it is not observed. */
  ofResult(): Observer | undefined
}

/** What is observed of an object, by the name of the method or of the object within it. */
export interface Observed {
  readonly [member: string]: {
    /** The method's name for the observer. Absent: the calls themselves are not observed. */
    readonly name?: string
    /** What is observed of the object that the method returns, or the promise of one. */
    readonly result?: Observed
    /** What is observed of this object within the object. */
    readonly within?: Observed
  }
}

/**
 * The object with some of its calls observed. It has the members that the object has, and no others. Methods run on
 * the object itself.
 */
export function observed<Target extends object>(
  target: Target,
  members: Observed,
  observer: Observer,
): Target {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      const member =
        typeof name === 'string' && Object.hasOwn(members, name) ? members[name] : undefined
      if (member?.within !== undefined && isObject(value)) {
        return observed(value, member.within, observer)
      }
      if (typeof value !== 'function') return value
      const call = (given: unknown[]): unknown => Reflect.apply(value, target, given)
      if (member === undefined) return (...given: unknown[]) => call(given)
      const { name: callName, result: ofResult } = member
      return (...given: unknown[]) => {
        const inner = ofResult && observer.ofResult()
        const work = () => call(given)
        const result = callName === undefined ? work() : observer.call(callName, given, work)
        if (ofResult === undefined || inner === undefined) return result
        const watch = (one: unknown) => (isObject(one) ? observed(one, ofResult, inner) : one)
        return result instanceof Promise ? result.then(watch) : watch(result)
      }
    },
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
