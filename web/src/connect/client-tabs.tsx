import { Tabs } from '@mantine/core'
import { CodeBlock } from '../ui/code-block.tsx'
import { clientSettings, type Gateway, secretKeyPlaceholder } from './client-settings.ts'
import classes from './connect-section.module.css'

interface ClientTabsProps {
  readonly gateway: Gateway
  /** If it is known, it takes the place of the placeholder. */
  readonly secretKey?: string
  /** Called when settings with the secret key were copied or saved. */
  readonly onTaken?: () => void
}

/** Settings to paste, a tab for each client. */
export function ClientTabs(props: ClientTabsProps) {
  const { gateway, secretKey = secretKeyPlaceholder, onTaken } = props
  const clients = clientSettings(gateway)
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
        <Tabs.Panel key={id} value={id} pt="sm" className={classes.panel}>
          {blocks.map(({ text, ...block }) => (
            <CodeBlock
              key={block.caption}
              {...block}
              text={text.replaceAll(secretKeyPlaceholder, secretKey)}
              what={`settings for ${name}`}
              onTaken={text.includes(secretKeyPlaceholder) ? onTaken : undefined}
            />
          ))}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
