import type { DriveAccess } from '../../drives/drive.ts'
import type { Mount } from '../../drives/several/mount.ts'
import type { HealthChecks } from './health.ts'

/** The checks of all drives but the default one, by name. */
export function namedChecks(mounts: readonly Mount[], access?: DriveAccess): HealthChecks {
  const named = mounts.filter(({ name }) => name !== '')
  return Object.fromEntries(
    named.map((mount) => {
      const isRead = access === 'writes' && mount.isReadOnly
      return [mount.name, () => mount.drive.check(isRead ? 'reads' : access)]
    }),
  )
}
