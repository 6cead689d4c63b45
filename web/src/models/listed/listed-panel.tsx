import { Badge, Button, Code, Group, SegmentedControl, Text, TextInput } from '@mantine/core'
import { IconSearch, IconSearchOff, IconSparkles } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Rich } from '../../texts/rich.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { NoConnection } from '../no-connection.tsx'
import { type ListedModel, useListedModels } from '../routing-queries.ts'
import { useAddressParams } from '../use-address-params.ts'
import { hasWords } from './has-words.ts'
import { listOf, lists } from './list-names.ts'
import classes from './listed-panel.module.css'

/** The current response of `/v1/models`. The list and the search are part of the page address. */
export function ListedPanel() {
  const [params, set] = useAddressParams()
  const list = listOf(params.get('list'))
  const search = params.get('search') ?? ''
  return (
    <Section title={modelsTexts.listed.title} actions={<ListUrl />}>
      <div className={classes.controls}>
        <div className={classes.kinds}>
          <SegmentedControl
            aria-label={modelsTexts.listed.kinds}
            size="xs"
            value={list.name}
            onChange={(name) => set('list', name === 'chat' ? '' : name)}
            data={lists.map(({ name, label }) => ({ value: name, label }))}
          />
        </div>
        <TextInput
          aria-label={modelsTexts.listed.searchLabel}
          placeholder={modelsTexts.listed.search}
          type="search"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => set('search', event.currentTarget.value)}
        />
      </div>
      <NoConnection text={modelsTexts.listed.catalogue} />
      <List list={list} search={search} />
    </Section>
  )
}

function List({ list, search }: { list: ReturnType<typeof listOf>; search: string }) {
  const query = useListedModels(list.name)
  return (
    <Loaded query={query} failure={modelsTexts.listed.failure} lines={8}>
      {(models) => {
        const found = models.filter(({ id, owned_by }) => hasWords(`${id} ${owned_by}`, search))
        const isSearched = search !== ''
        const count = isSearched
          ? modelsTexts.listed.found(found.length, modelsTexts.modelCount(models.length))
          : modelsTexts.modelCount(models.length)
        return (
          <>
            <Text size="sm" c="dimmed" mb="xs" role="status">
              <Code>GET {list.path}</Code> {count}
            </Text>
            <ListedModels key={list.name} models={found} isSearched={isSearched} />
          </>
        )
      }}
    </Loaded>
  )
}

function ListUrl() {
  const { data } = useStatus()
  if (data === undefined) return null
  const url = `${serviceAddress(data.endpoint, location.origin)}/v1/models`
  return (
    <Group gap={6} fz={13} c="dimmed">
      {modelsTexts.listed.address} <Code>{url}</Code>
      <CopyButton text={url} what={modelsTexts.listed.addressWhat} />
    </Group>
  )
}

const pageSize = 100

interface ListedModelsProps {
  readonly models: readonly ListedModel[]
  readonly isSearched: boolean
}

function ListedModels({ models, isSearched }: ListedModelsProps) {
  const [shown, setShown] = useState(pageSize)
  if (models.length === 0) return <NoModels isSearched={isSearched} />
  return (
    <>
      <ul className={classes.models}>
        {models.slice(0, shown).map(({ id, owned_by, kind }) => (
          <li key={`${id} ${kind}`} className={classes.model}>
            <span className={classes.id}>{id}</span>
            {kind !== undefined && (
              <Badge variant="light" color="gray" tt="none">
                {kind === 'webSearch' ? modelsTexts.kind.webSearch : modelsTexts.kind.webFetch}
              </Badge>
            )}
            <span className={classes.owner}>{owned_by}</span>
            <CopyButton text={id} what={id} />
          </li>
        ))}
      </ul>
      {models.length > shown && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + pageSize)}>
          {modelsTexts.showMore(Math.min(pageSize, models.length - shown), models.length - shown)}
        </Button>
      )}
    </>
  )
}

function NoModels({ isSearched }: { readonly isSearched: boolean }) {
  if (isSearched) {
    return (
      <EmptyState
        icon={<IconSearchOff size={32} stroke={1.5} />}
        title={modelsTexts.listed.noMatch}
      >
        {modelsTexts.listed.noMatchText}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={<IconSparkles size={32} stroke={1.5} />} title={modelsTexts.listed.none}>
      <Rich
        text={modelsTexts.listed.noneText}
        marks={{ link: (words) => <Link href="/models">{words}</Link> }}
      />
    </EmptyState>
  )
}
