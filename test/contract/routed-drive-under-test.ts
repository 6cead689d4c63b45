import type { Drive } from '../../src/storage/drives/drive.ts'
import type { Mount } from '../../src/storage/drives/route/mount.ts'
import { RoutedDrive } from '../../src/storage/drives/route/routed-drive.ts'
import type { VersioningOf } from '../../src/storage/drives/versions.ts'
import { buckets, type MakeOptions } from './drive/drive-suite.ts'

/** The folders of the buckets under test on the drive NAS. */
export const folders = ['Music/Lossless', 'Music/Lossy'] as const

/** The buckets under test are nested folders of the drive NAS; those added later are on the default drive. */
export function routed(main: Drive, nas: Drive): RoutedDrive {
  const mounts = [mountOf('', main), mountOf('NAS', nas)] as const
  const places = buckets.map((bucket, index) => {
    return [bucket, { mount: mounts[1], folder: folders[index] ?? '', isReadOnly: false }] as const
  })
  return new RoutedDrive({ mounts, places: new Map(places) })
}

/** The versioning of the buckets under test, by their folders. */
export function nestedVersioning({ versioningOf }: MakeOptions): VersioningOf {
  return (folder) => {
    const bucket = buckets.find((_, index) => folders[index] === folder)
    return bucket && versioningOf?.(bucket)
  }
}

function mountOf(name: string, drive: Drive): Mount {
  return { name, drive, isReadOnly: false }
}
