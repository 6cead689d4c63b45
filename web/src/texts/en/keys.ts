import type { TextKit } from '../text-kit.ts'

export const texts = ({ number, count }: TextKit) => ({
  secretKey: 'secret key',
  grant: {
    bucket: 'Bucket',
    allBuckets: 'All buckets, including new ones',
    prefix: 'Only names that begin with',
    allKeys: 'all names',
    rights: 'Rights',
    choose: 'Choose…',
    actions: 'Actions',
  },
  dialog: {
    name: 'Name',
    mayUse: 'May use',
    grant: (n: number) => `Grant ${number(n)}`,
    addGrant: 'Add another grant',
    note: 'Note',
    validUntil: 'Valid until',
    requestsPerSecond: 'Requests per second',
    noLimit: 'no limit',
    storage: 'Storage in GiB',
    limitsText:
      'The limit of requests applies to each process of the service. Storage is the approximate total size of the buckets. For a bucket that is not counted yet, only new writes count.',
  },
  change: (name: string) => `Change ${name}`,
  keyOf: (name: string) => `access key of ${name}`,
  noRights: 'No rights',
  neverUsed: 'never used',
  used: 'used <age>time</age>',
  expires: ', expires <age>time</age>',
  perSecond: (n: number) => `, ${count(n, { one: 'request', other: 'requests' })} per second`,
  gib: (size: string) => `, ${size} GiB`,
  changeFailure: (name: string) => `${name} could not be changed`,
  isActive: (name: string) => `${name} is active`,
  revoke: 'Revoke',
  replaceSecret: 'Replace the secret',
  revokeFailure: (name: string) => `${name} could not be revoked`,
  revokeAsk: (name: string) => `Revoke ${name}?`,
  revokeAction: 'Revoke the key',
  revokeText: (name: string) =>
    `Apps that use <b>${name}</b> and links that were signed with it stop working within a second, or within a minute if the database does not respond. This cannot be undone.`,
  actions: {
    list: {
      label: 'List',
    },
    read: {
      label: 'Read',
    },
    add: {
      label: 'Add new files',
      more: 'Cannot replace or change existing files',
    },
    write: {
      label: 'Write',
      more: 'Can also replace existing files',
    },
    delete: {
      label: 'Delete',
      more: 'Where versions are on, they stay',
    },
    readVersions: {
      label: 'Read versions',
      more: 'List and read what was replaced or deleted',
    },
    deleteVersions: {
      label: 'Delete versions',
      more: 'Permanently',
    },
    locks: {
      label: 'Override locks',
      more: 'Remove GOVERNANCE locks and legal holds',
    },
    manage: {
      label: 'Manage the bucket',
      more: 'Create and remove it; set CORS and expiry rules, which can delete all files',
    },
  },
  sets: {
    read: 'List and read',
    add: 'List, read and add new files',
    write: 'List, read, write and delete',
    all: 'Everything',
  },
  allBuckets: 'All buckets',
  badges: {
    unusable: 'not usable',
    rotating: 'old secret still valid',
    environment: 'from ACCESS_KEYS',
    disabled: 'disabled',
    expired: 'expired',
  },
  title: 'App keys',
  text: 'Give each app a key of its own that can do only what the app needs.',
  listTitle: 'Keys',
  textHelp: 'The main key, ACCESS_KEY in the settings, can do everything.',
  create: 'Create a key',
  failure: 'The app keys could not be loaded',
  newKey: 'New app key',
  none: 'No keys yet',
  createFirst: 'Create the first key',
  noneText:
    'A key is limited to buckets, folders and actions, and can be disabled or revoked without touching other apps.',
  rotate: {
    notAtAll: 'not at all',
    hour: 'for an hour',
    day: 'for a day',
    week: 'for a week',
    month: 'for 30 days',
    failure: (name: string) => `The secret of ${name} could not be replaced`,
    ask: (name: string) => `Replace the secret of ${name}?`,
    text: 'The access key ID stays. Give the new secret to the app while the old one is still valid.',
    oldStays: 'The old secret stays valid',
  },
  createAction: 'Create the key',
  accessKey: 'Access key',
})

export type KeysTexts = ReturnType<typeof texts>
