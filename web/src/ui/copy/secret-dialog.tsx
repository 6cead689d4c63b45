import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { frameTexts } from '../../texts/frame.ts'
import { CopyButton } from './copy-button.tsx'
import { useBack } from './use-back.ts'

interface SecretDialogProps {
  /** The name of the key. */
  readonly name: string
  /** What is shown once: "secret key". */
  readonly what: string
  readonly secret: string
  /** The ID of the key, which can be shown again later. */
  readonly id?: { readonly name: string; readonly value: string }
  /** Settings that contain the secret; they call `onTaken` when they were copied or saved. */
  readonly settings: (onTaken: () => void) => ReactNode
  readonly onClose: () => void
}

/**
 * Shows a new secret, which the service does not show again: it closes only after the secret was
 * copied, or its button says that it was saved.
 */
export function SecretDialog(props: SecretDialogProps) {
  const { name, what, secret, id, settings, onClose } = props
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
    <Modal opened onClose={close} title={frameTexts.secret.title(name)} size="lg" centered>
      <Stack>
        {isReminded && !isTaken ? (
          <Alert color="red" role="alert">
            {frameTexts.secret.notCopied(what)}
          </Alert>
        ) : (
          <Alert color="orange">{frameTexts.secret.copyNow(what)}</Alert>
        )}
        {id !== undefined && <Value name={id.name} value={id.value} />}
        <Value name={what.charAt(0).toUpperCase() + what.slice(1)} value={secret} onCopied={take} />
        {settings(take)}
        <Group justify="flex-end">
          <Button onClick={onClose}>
            {isTaken ? frameTexts.done : frameTexts.secret.saved(what)}
          </Button>
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
      <CopyButton text={value} what={frameTexts.inSentence(name)} onCopied={onCopied} />
    </Group>
  )
}
