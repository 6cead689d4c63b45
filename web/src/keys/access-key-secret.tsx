import type { KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { clientSettings, secretKeyPlaceholder } from '../connect/client-settings.ts'
import { gatewayOf } from '../connect/connect-section.tsx'
import { keysTexts } from '../texts/keys.ts'
import { ClientTabs } from '../ui/copy/client-tabs.tsx'
import { SecretDialog } from '../ui/copy/secret-dialog.tsx'
import { grantedBucket } from './key-text.ts'

interface AccessKeySecretProps {
  readonly made: KeyWithSecretReply
  readonly onClose: () => void
}

/** The secret of an access key, with client settings. */
export function AccessKeySecret({ made: { key, secretKey }, onClose }: AccessKeySecretProps) {
  const { data: status } = useStatus()
  const firstBucket = useBuckets().data?.buckets[0]?.name ?? 'BUCKET'
  const granted = grantedBucket(key) ?? firstBucket
  return (
    <SecretDialog
      name={key.name}
      what={keysTexts.secretKey}
      secret={secretKey}
      id={{ name: keysTexts.accessKey, value: key.accessKeyId }}
      settings={(onTaken) =>
        status !== undefined && (
          <ClientTabs
            clients={clientSettings({
              ...gatewayOf(status.endpoint, granted),
              accessKey: key.accessKeyId,
            })}
            placeholder={secretKeyPlaceholder}
            secret={secretKey}
            onTaken={onTaken}
          />
        )
      }
      onClose={onClose}
    />
  )
}
