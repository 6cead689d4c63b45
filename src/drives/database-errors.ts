import { DriveError } from './drive.ts'

/**
 * The same store, with its failures as DriveErrors of kind `unavailable`.
 *
 * @param what for people, such as `the Google Drive index`.
 */
export function withDatabaseErrors<Store extends object>(store: Store, what: string): Store {
  const unavailable = (cause: unknown) =>
    new DriveError('unavailable', `The database with ${what} is not responding.`, { cause })
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...values: unknown[]) => {
        try {
          const result: unknown = member.apply(target, values)
          if (!(result instanceof Promise)) return result
          return result.catch((error: unknown) => {
            throw unavailable(error)
          })
        } catch (error) {
          throw unavailable(error)
        }
      }
    },
  })
}
