import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import type { KeyWithSecretReply } from '../../../src/console/management/key-schemas.ts'
import { useBuckets, useStatus } from '../api/service-queries.ts'
import { ClientTabs } from '../connect/client-tabs.tsx'
import { gatewayOf } from '../connect/connect-section.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { useBack } from '../ui/use-back.ts'

interface SecretDialogProps {
  readonly made: KeyWithSecretReply
  readonly onClose: () => void
}

/**
 * Shows a new secret, which the service does not show again: it closes only after the secret was
 * copied, or its button says that it was saved.
 */
export function SecretDialog({ made: { key, secretKey }, onClose }: SecretDialogProps) {
  const { data: status } = useStatus()
  const firstBucket = useBuckets().data?.buckets[0]?.name ?? 'BUCKET'
  const granted = key.grants.find(({ bucket }) => bucket !== '*')?.bucket ?? firstBucket
  const [isTaken, { open: take }] = useDisclosure(false)
  const [isReminded, { open: remind }] = useDisclosure(false)
  const close = () => {
    if (isTaken) onClose()
    else remind()
    return isTaken
  }
  useBack(close)
  useWindowEvent('beforeunload', (event) => {
    if (!isTaken) event.preventDefault()
  })
  return (
    <Modal opened onClose={close} title={`The secret of ${key.name}`} size="lg" centered>
      <Stack>
        {isReminded && !isTaken ? (
          <Alert color="red" role="alert">
            The secret key is not copied yet, and it is not shown again. Copy it, or confirm below
            that you have it.
          </Alert>
        ) : (
          <Alert color="orange">Copy the secret key now. It is not shown again.</Alert>
        )}
        <Value name="Access key" value={key.accessKeyId} />
        <Value name="Secret key" value={secretKey} onCopied={take} />
        {status !== undefined && (
          <ClientTabs
            gateway={{ ...gatewayOf(status.endpoint, granted), accessKey: key.accessKeyId }}
            secretKey={secretKey}
            onTaken={take}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{isTaken ? 'Done' : 'I have saved the secret key'}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface ValueProps {
  readonly name: string
  readonly value: string
  readonly onCopied?: () => void
}

function Value({ name, value, onCopied }: ValueProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" w={90} flex="none">
        {name}
      </Text>
      <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton text={value} what={name.toLowerCase()} onCopied={onCopied} />
    </Group>
  )
}
