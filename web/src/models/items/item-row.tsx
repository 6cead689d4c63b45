import { Badge } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row } from '../../ui/row-list.tsx'
import { DeleteRecord, useEditing } from '../forms/record-actions.tsx'
import { RecordForm } from '../forms/record-form.tsx'
import { useChangeRouting } from '../routing-queries.ts'
import { WarningLines } from '../warning-lines.tsx'
import type { ItemResource } from './item-resources.ts'

interface ItemProps<Item> {
  readonly resource: ItemResource<Item>
  readonly item: Item
}

interface ItemRowProps<Item> extends ItemProps<Item> {
  readonly warnings: readonly string[]
}

export function ItemRow<Item>({ resource, item, warnings }: ItemRowProps<Item>) {
  const name = resource.nameOf(item)
  const editing = useEditing(name)
  const kind = resource.kindOf(item)
  return (
    <Row
      title={
        <>
          <b>{name}</b>{' '}
          {kind !== undefined && (
            <Badge variant="light" color="gray" tt="none" size="sm">
              {kind}
            </Badge>
          )}
        </>
      }
      detail={resource.detailOf(item)}
      actions={
        <>
          {editing.button}
          <DeleteItem resource={resource} item={item} />
        </>
      }
    >
      <WarningLines messages={warnings} />
      {editing.isEdited && <EditForm resource={resource} item={item} onDone={editing.close} />}
    </Row>
  )
}

function EditForm<Item>({
  resource,
  item,
  onDone,
}: ItemProps<Item> & { readonly onDone: () => void }) {
  const change = useChangeRouting()
  const { path, fields, draftOf, bodyOf, keyOf, nameOf } = resource
  return (
    <RecordForm
      label={`Edit ${nameOf(item)}`}
      fields={fields}
      initial={draftOf(item)}
      submitLabel="Save"
      onSubmit={(draft) =>
        change({ method: 'PUT', path: `${path}/${keyOf(item)}`, body: bodyOf(draft) })
      }
      onDone={onDone}
    />
  )
}

function DeleteItem<Item>({ resource, item }: ItemProps<Item>) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const name = resource.nameOf(item)
  return (
    <>
      <IconButton label={`Delete ${name}`} color="red" onClick={open}>
        <IconTrash size={16} />
      </IconButton>
      <DeleteRecord
        name={name}
        noun={resource.noun}
        path={`${resource.path}/${resource.keyOf(item)}`}
        isAsked={isAsked}
        onClose={close}
      >
        is removed from the model list.
      </DeleteRecord>
    </>
  )
}
