import type { ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import { formatMoment } from '../../format/time.ts'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'

type Ends = Pick<ShareReply, 'expiresAt' | 'maxUses' | 'accessKeyId'>

/** When a link ends; '' if its uses or its key end it at a time that is not known. */
export function linkEnd({ expiresAt, maxUses, accessKeyId }: Ends): string {
  const { endsAt, endsNever } = filesDialogsTexts.share
  if (expiresAt !== null) return endsAt(formatMoment(Date.parse(expiresAt)))
  return maxUses === null && accessKeyId === null ? endsNever : ''
}
