import { randomUUID } from 'node:crypto'
import type { HttpReply } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { changeOptions } from '../configuration/change-options.ts'
import { notificationContent, parseNotification } from '../configuration/notification-document.ts'
import { assertMayRead } from '../configuration/public-access.ts'
import type { BucketContext } from '../context.ts'
import { xmlReply } from '../reply/xml-reply.ts'

const maxBytes = 256 * 1024

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html. None removes all. */
export async function putBucketNotification(context: BucketContext): Promise<HttpReply> {
  const body = await readSmallBody(context.request, maxBytes)
  const { notifyWebhook, notifyRedis } = context.service.settings
  const known = { webhook: notifyWebhook !== undefined, redis: notifyRedis !== undefined }
  const rules = parseNotification(body, { known, newId: randomUUID })
  await changeOptions(context, { notification: rules.length === 0 ? null : rules })
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketNotificationConfiguration.html */
export async function getBucketNotification(context: BucketContext): Promise<HttpReply> {
  const { notification } = context.configuration
  if (notification !== undefined) assertMayRead(context)
  return xmlReply('NotificationConfiguration', notificationContent(notification ?? []))
}
