import { SettingMistake } from '../../../platform/process/setting-mistake.ts'
import { bucketName } from '../parse-names.ts'
import { keyValueStore, listOf, passphrase, solidText, withEncodedUser } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** Objects whose events are sent. */
export interface NotifiedObjects {
  /** `*`: every bucket. */
  readonly bucket: string
  readonly prefix: string
  readonly suffix: string
}

/** Event notifications (docs/notifications.md). */
export const notifySettings = {
  notifyWebhook: {
    name: 'NOTIFY_WEBHOOK',
    whenUnset: 'none',
    meaning:
      'URL, `http://…` or `https://…`, that receives each change of an object as a POST in the format of AWS (docs/notifications.md).',
    isSecret: true,
    parse: webAddress,
  },
  notifyWebhookSecret: {
    name: 'NOTIFY_WEBHOOK_SECRET',
    whenUnset: 'not signed',
    meaning:
      'Secret for the HMAC-SHA256 in X-Bucketry-Signature-256 of each message to NOTIFY_WEBHOOK.',
    isSecret: true,
    parse: passphrase,
  },
  notifyWebhookToken: {
    name: 'NOTIFY_WEBHOOK_TOKEN',
    whenUnset: 'none',
    meaning:
      'Sent with each message to NOTIFY_WEBHOOK as `Authorization: Bearer TOKEN`. A value with a space is sent as it is, such as `Basic dXNlcjpwYXNz`.',
    isSecret: true,
    parse: fieldText,
  },
  notifyRedis: {
    name: 'NOTIFY_REDIS',
    whenUnset: 'none',
    meaning:
      'Redis or Valkey server, `redis://…` or `rediss://…`, that receives each change in a stream.',
    isSecret: true,
    parse: keyValueStore,
  },
  notifyRedisStream: {
    name: 'NOTIFY_REDIS_STREAM',
    default: 'bucketry:events',
    meaning: 'Name of the stream in NOTIFY_REDIS.',
    parse: solidText,
  },
  notifyObjects: {
    name: 'NOTIFY_OBJECTS',
    default: '*',
    defaultInAws: '',
    meaning:
      'Objects whose changes are sent to all targets: `*` (all objects), `BUCKET`, or `BUCKET/PREFIX*SUFFIX`. S3 clients can configure further ones (PutBucketNotificationConfiguration). A list.',
    parse: listOf(notifiedObjects),
  },
} as const satisfies Record<string, Setting<unknown>>

function webAddress(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) {
    throw new SettingMistake('http://host/path or https://host/path')
  }
  return withEncodedUser(text)
}

/** Text that a header field can have (RFC 9110 section 5.5). */
function fieldText(text: string): string {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(text)) {
    throw new SettingMistake('visible ASCII characters, and spaces only between them')
  }
  return text
}

function notifiedObjects(text: string): NotifiedObjects {
  if (text === '*') return { bucket: '*', prefix: '', suffix: '' }
  const slash = text.indexOf('/')
  if (slash < 0) return { bucket: bucketName(text), prefix: '', suffix: '' }
  const [prefix = '', suffix, ...others] = text.slice(slash + 1).split('*')
  if (suffix === undefined || others.length > 0) {
    throw new SettingMistake('*, BUCKET or BUCKET/PREFIX*SUFFIX')
  }
  return { bucket: bucketName(text.slice(0, slash)), prefix, suffix }
}

/** The form that NOTIFY_OBJECTS has. */
export function notifiedText({ bucket, prefix, suffix }: NotifiedObjects): string {
  return prefix === '' && suffix === '' ? bucket : `${bucket}/${prefix}*${suffix}`
}
