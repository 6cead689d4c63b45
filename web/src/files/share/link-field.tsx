import { Flex, Stack, Text, TextInput } from '@mantine/core'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { frameTexts } from '../../texts/frame.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'

interface LinkFieldProps {
  readonly label: string
  /** What is copied, for the label of the button. */
  readonly what: string
  readonly url: string
}

/** An address to copy. */
export function LinkField({ label, what, url }: LinkFieldProps) {
  return (
    <Stack gap={6}>
      <Flex gap="xs" align="flex-end">
        <TextInput
          label={label}
          readOnly
          value={url}
          flex={1}
          miw={0}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={url} what={what} size="sm">
          {frameTexts.copy.action}
        </CopyButton>
      </Flex>
      {isOnlyHere(url) && <Text size="sm">{filesDialogsTexts.share.onlyHere}</Text>}
    </Stack>
  )
}

/** Whether the host means the computer that opens the address (RFC 6761, section 6.3). */
function isOnlyHere(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}
