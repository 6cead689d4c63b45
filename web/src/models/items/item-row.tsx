import { ActionIcon, Badge } from '@mantine/core'
import { useDisclosure, useFocusReturn } from '@mantine/hooks'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Confirm } from '../../ui/confirm.tsx'
import { Row } from '../../ui/row-list.tsx'
import { RecordForm } from '../forms/record-form.tsx'
import { useChangeRouting, useRoutingAction } from '../routing-queries.ts'
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
  const [isEdited, edit] = useDisclosure(false)
  useFocusReturn({ opened: isEdited })
  const name = resource.nameOf(item)
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
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Edit ${name}`}
            title={`Edit ${name}`}
            aria-expanded={isEdited}
            onClick={edit.toggle}
          >
            <IconPencil size={16} />
          </ActionIcon>
          <DeleteItem resource={resource} item={item} />
        </>
      }
    >
      <WarningLines messages={warnings} />
      {isEdited && <EditForm resource={resource} item={item} onDone={edit.close} />}
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
  const { mutate, isPending } = useRoutingAction(`${name} could not be deleted`)
  const path = `${resource.path}/${resource.keyOf(item)}`
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Delete ${name}`}
        title={`Delete ${name}`}
        onClick={open}
      >
        <IconTrash size={16} />
      </ActionIcon>
      <Confirm
        isOpen={isAsked}
        title={`Delete this ${resource.noun}?`}
        action={`Delete the ${resource.noun}`}
        isBusy={isPending}
        onConfirm={() => mutate({ method: 'DELETE', path }, { onSettled: close })}
        onClose={close}
      >
        <b>{name}</b> is removed from the model list.
      </Confirm>
    </>
  )
}
