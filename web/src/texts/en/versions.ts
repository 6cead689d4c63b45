import type { TextKit } from '../text-kit.ts'

export const texts = ({ count }: TextKit) => ({
  deleted: {
    title: (name: string) => `Deleted from “${name}”`,
    up: (folder: string) => `Up from ${folder}`,
    failure: 'The deleted files could not be listed',
    more: 'Look for more',
    none: 'Nothing to restore',
    noneYet: 'Nothing found so far',
    text: 'Deleted files are listed here as long as the bucket keeps a version of them.',
    objects: (n: number) => count(n, { one: 'object', other: 'objects' }),
    detail: (amount: string) => `${amount}, deleted <age>time</age>`,
    restoreOf: (name: string) => `Restore ${name}`,
    restore: 'Restore',
    deleteOf: (name: string) => `Delete ${name} permanently`,
    deleteAsk: 'Delete permanently?',
    fileText: (name: string) =>
      `All versions of ${name} are deleted. They cannot be restored afterwards.`,
    folderText: (name: string) =>
      `All versions of what was deleted from ${name} are deleted. They cannot be restored afterwards.`,
  },
  delete: 'Delete permanently',
  title: 'Versions',
  failure: 'The versions could not be loaded',
  showOf: (time: string) => `Show the version of ${time}`,
  restoreFailure: 'The version could not be restored',
  deleteFailure: 'The version could not be deleted',
  downloadOf: (time: string) => `Download the version of ${time}`,
  restoreOf: (time: string) => `Restore the version of ${time}`,
  deleteOf: (time: string) => `Delete the version of ${time} permanently`,
  deleteAsk: 'Delete this version permanently?',
  deleteText: (time: string, name: string, size: string) =>
    `The version of ${time} of ${name} (${size}) cannot be restored afterwards. The other versions stay.`,
  marker: 'Deleted',
  current: 'current',
  lockedUntil: (time: string) => `locked until ${time}`,
  legalHold: 'legal hold',
  restored: 'The version was restored.',
})

export type VersionsTexts = ReturnType<typeof texts>
