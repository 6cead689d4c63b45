import { Stack, Tabs } from '@mantine/core'
import { frameTexts } from '../../texts/frame.ts'
import type { ClientSettings } from './client-settings.ts'
import { CodeBlock } from './code-block.tsx'

interface ClientTabsProps {
  readonly clients: readonly ClientSettings[]
  /** The placeholder for the secret in the settings. */
  readonly placeholder: string
  /** The secret if it is known. It replaces the placeholder. */
  readonly secret?: string
  /** Called when settings with the secret were copied or saved. */
  readonly onTaken?: () => void
}

/** Settings to paste, a tab for each client. */
export function ClientTabs(props: ClientTabsProps) {
  const { clients, placeholder, secret = placeholder, onTaken } = props
  return (
    <Tabs defaultValue={clients[0]?.id ?? null} keepMounted={false}>
      <Tabs.List>
        {clients.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} px={10}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {clients.map(({ id, name, blocks }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <Stack gap={14}>
            {blocks.map(({ text, ...block }) => (
              <CodeBlock
                key={block.caption}
                {...block}
                text={text.replaceAll(placeholder, secret)}
                what={frameTexts.copy.settingsFor(name)}
                onTaken={text.includes(placeholder) ? onTaken : undefined}
              />
            ))}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
