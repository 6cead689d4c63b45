import { Tabs, Title } from '@mantine/core'
import type { ComponentType } from 'react'
import { useLocation, useRoute } from 'wouter'
import { PageTitle } from '../ui/page-title.tsx'
import { ConnectionsPanel } from './connections/connections-panel.tsx'
import { aliases, combos, customModels } from './items/item-resources.ts'
import { ItemsPanel } from './items/items-panel.tsx'
import { ListedPanel } from './listed/listed-panel.tsx'
import classes from './models-page.module.css'
import { TransferPanel } from './transfer/transfer-panel.tsx'

interface Panel {
  /** Below `/models`, without its slash. */
  readonly path: string
  readonly label: string
  readonly Content: ComponentType
}

const panels: readonly Panel[] = [
  { path: '', label: 'Listed', Content: ListedPanel },
  { path: 'connections', label: 'Connections', Content: ConnectionsPanel },
  { path: 'combos', label: 'Combos', Content: () => <ItemsPanel resource={combos} /> },
  {
    path: 'custom',
    label: 'Custom models',
    Content: () => <ItemsPanel resource={customModels} />,
  },
  { path: 'aliases', label: 'Aliases', Content: () => <ItemsPanel resource={aliases} /> },
  { path: 'transfer', label: 'Import and export', Content: TransferPanel },
]

/** The model list, and everything it is made of. */
export function ModelsPage() {
  const [, params] = useRoute('/models/*?')
  const [, navigate] = useLocation()
  const wanted = params?.['*'] ?? ''
  const shown = panels.find(({ path }) => path === wanted) ?? panels[0]
  return (
    <>
      <PageTitle title="Models" />
      <Title order={1} size="h2" mb="sm">
        Models
      </Title>
      <Tabs
        value={shown?.path ?? ''}
        keepMounted={false}
        onChange={(path) => navigate(path ? `/models/${path}` : '/models')}
      >
        <Tabs.List className={classes.tabs}>
          {panels.map(({ path, label }) => (
            <Tabs.Tab key={path} value={path} px={12}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {panels.map(({ path, Content }) => (
          <Tabs.Panel key={path} value={path} pt="md">
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
