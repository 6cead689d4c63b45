import { Group, TextInput } from '@mantine/core'
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
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        readOnly
        value={url}
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={url} what={what} size="sm">
        {frameTexts.copy.action}
      </CopyButton>
    </Group>
  )
}
