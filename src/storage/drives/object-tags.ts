import type { Attributes, Tags } from './attributes.ts'
import { DriveError } from './drive.ts'

/** The same attributes with these tags only. */
export function withTags({ tags: _, ...attributes }: Attributes, tags: Tags): Attributes {
  return Object.keys(tags).length === 0 ? attributes : { ...attributes, tags }
}

/** For a drive without `setTags`. */
export function unsupportedTags(): DriveError {
  const message =
    'The drive of this bucket cannot change the tags of an object in place. Write or copy the object with other tags.'
  return new DriveError('unsupported', message)
}
