import { Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useLocation, useRoute } from 'wouter'
import { modelsTexts } from '../texts/models.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { ConnectionsPanel } from './connections/connections-panel.tsx'
import { RefusedKeys } from './connections/pauses.tsx'
import { aliases, combos, customModels } from './items/item-resources.ts'
import { ItemsPanel } from './items/items-panel.tsx'
import { ModelKeysPanel } from './keys/model-keys-panel.tsx'
import { ListedPanel } from './listed/listed-panel.tsx'
import { CallLogPanel } from './log/call-log-panel.tsx'
import { TransferPanel } from './transfer/transfer-panel.tsx'
import { TryPanel } from './try/try-panel.tsx'
import { UsagePanel } from './usage/usage-panel.tsx'

interface Panel {
  /** The address segment after `/models/`; the first panel has none. */
  readonly id: string
  readonly label: string
  readonly Content: ComponentType
}

const first: Panel = {
  id: 'connections',
  label: modelsTexts.tab.connections,
  Content: ConnectionsPanel,
}

const panels: readonly Panel[] = [
  first,
  { id: 'keys', label: modelsTexts.tab.keys, Content: ModelKeysPanel },
  { id: 'usage', label: modelsTexts.tab.usage, Content: UsagePanel },
  { id: 'log', label: modelsTexts.tab.log, Content: CallLogPanel },
  { id: 'try', label: modelsTexts.tab.try, Content: TryPanel },
  { id: 'listed', label: modelsTexts.tab.listed, Content: ListedPanel },
  {
    id: 'combos',
    label: modelsTexts.combos.title,
    Content: () => <ItemsPanel resource={combos} />,
  },
  {
    id: 'custom',
    label: modelsTexts.custom.title,
    Content: () => <ItemsPanel resource={customModels} />,
  },
  {
    id: 'aliases',
    label: modelsTexts.aliases.title,
    Content: () => <ItemsPanel resource={aliases} />,
  },
  { id: 'transfer', label: modelsTexts.tab.transfer, Content: TransferPanel },
]

/** The model list and its sources. */
export function ModelsPage() {
  const [, params] = useRoute('/models/*?')
  const [, navigate] = useLocation()
  const wanted = params?.['*'] ?? ''
  const shown = panels.find(({ id }) => id === wanted) ?? first
  return (
    <>
      <PageHeading title={modelsTexts.title}>{modelsTexts.text}</PageHeading>
      <RefusedKeys />
      <Tabs
        value={shown.id}
        keepMounted={false}
        onChange={(id) => navigate(id === first.id ? '/models' : `/models/${id}`)}
      >
        <Tabs.List>
          {panels.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id} px={12}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {panels.map(({ id, Content }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
