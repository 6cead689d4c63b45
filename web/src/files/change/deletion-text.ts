import type {
  BucketStatus,
  StatusReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { fileChangeTexts } from '../../texts/file-change.ts'

/** What happens to deleted files of a bucket on this drive. Undefined: not known yet. */
export function deletionText(
  deletes: StatusReply['drive']['deletes'] | undefined,
  versioning: BucketStatus['versioning'] = 'off',
): string {
  if (versioning === 'enabled') {
    return fileChangeTexts.deletion.versions
  }
  if (versioning === 'suspended') {
    return fileChangeTexts.deletion.suspended
  }
  switch (deletes) {
    case 'trash':
      return fileChangeTexts.deletion.drive
    case 'server':
      return fileChangeTexts.deletion.server
    case 'permanent':
      return fileChangeTexts.deletion.permanent
    case undefined:
      return fileChangeTexts.deletion.unknown
  }
}
