import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import type { KeyWithSecretReply } from '../../../src/console/management/key-schemas.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { ClientTabs } from '../overview/connect/client-tabs.tsx'
import { gatewayOf } from '../overview/connect/connect-section.tsx'
import { CopyButton } from '../ui/copy-button.tsx'

interface SecretDialogProps {
  readonly made: KeyWithSecretReply
  readonly onClose: () => void
}

/** Shows a new secret, which the service does not show again. A click beside it does not close it. */
export function SecretDialog({ made: { key, secretKey }, onClose }: SecretDialogProps) {
  const { data: status } = useStatus()
  const firstBucket = useBuckets().data?.buckets[0]?.name ?? 'BUCKET'
  const granted = key.grants.find(({ bucket }) => bucket !== '*')?.bucket ?? firstBucket
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={`The secret of ${key.name}`}
      size="lg"
      centered
    >
      <Stack>
        <Alert color="orange">Copy the secret key now. It is not shown again.</Alert>
        <Value name="Access key" value={key.accessKeyId} />
        <Value name="Secret key" value={secretKey} />
        {status !== undefined && (
          <ClientTabs
            gateway={{ ...gatewayOf(status.endpoint, granted), accessKey: key.accessKeyId }}
            secretKey={secretKey}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" w={90} flex="none">
        {name}
      </Text>
      <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton text={value} what={name.toLowerCase()} />
    </Group>
  )
}
