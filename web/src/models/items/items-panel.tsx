import { Text, TextInput } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { useState } from 'react'
import type { WarnedRouting } from '../../../../src/models/routing/routing-schemas.ts'
import { frameTexts } from '../../texts/frame.ts'
import { modelsTexts } from '../../texts/models.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { RecordDialog } from '../forms/record-dialog.tsx'
import { RecordsSection } from '../forms/records-section.tsx'
import { warningsAt } from '../warnings-at.ts'
import type { ItemResource } from './item-resources.ts'
import { ItemRow } from './item-row.tsx'

/** Items beyond this number appear only in search results. */
const maxShown = 200
/** The search field appears from this number of items. */
const searchedFrom = 12

/** All items of one kind. */
export function ItemsPanel<Item>({ resource }: { readonly resource: ItemResource<Item> }) {
  const { title, words, path } = resource
  return (
    <RecordsSection
      title={title}
      addLabel={words.add}
      failure={modelsTexts.items.failure(title)}
      newDialog={(onDone) => (
        <RecordDialog
          title={words.new}
          fields={resource.fields}
          initial={resource.draftOf(undefined)}
          action={words.addAction}
          changeOf={(draft) => ({ method: 'POST', path, body: resource.bodyOf(draft) })}
          onDone={onDone}
        />
      )}
    >
      {(state) => <Items resource={resource} state={state} />}
    </RecordsSection>
  )
}

interface ItemsProps<Item> {
  readonly resource: ItemResource<Item>
  readonly state: WarnedRouting
}

function Items<Item>({ resource, state }: ItemsProps<Item>) {
  const [search, setSearch] = useState('')
  const { title, hint, nameOf, detailOf, keyOf, fieldOf } = resource
  const items = resource.itemsOf(state).map((item, index) => {
    return { item, warnings: warningsAt(state.warnings, fieldOf(item, index)) }
  })
  if (items.length === 0) {
    return (
      <EmptyState
        icon={<IconList size={32} stroke={1.5} />}
        title={modelsTexts.items.none(frameTexts.inSentence(title))}
      >
        {hint}
      </EmptyState>
    )
  }
  const wanted = search.toLowerCase()
  const found = items.filter(({ item }) =>
    `${nameOf(item)} ${detailOf(item)}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {hint}
      </Text>
      {items.length >= searchedFrom && (
        <TextInput
          my="sm"
          type="search"
          aria-label={modelsTexts.items.search(frameTexts.inSentence(title))}
          placeholder={modelsTexts.items.searchCount(items.length, frameTexts.inSentence(title))}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <RowList>
        {found.slice(0, maxShown).map(({ item, warnings }) => (
          <ItemRow key={keyOf(item)} resource={resource} item={item} warnings={warnings} />
        ))}
      </RowList>
      {found.length > maxShown && <p>{modelsTexts.items.more(found.length - maxShown)}</p>}
    </>
  )
}
