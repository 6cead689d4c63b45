import { DriveError } from '../../drive.ts'

/** The same store, with its failures as DriveErrors. */
export function withIndexErrors<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...values: unknown[]) => {
        try {
          return await member.apply(target, values)
        } catch (error) {
          const message = 'The database with the Google Drive index is not responding.'
          throw new DriveError('unavailable', message, { cause: error })
        }
      }
    },
  })
}
