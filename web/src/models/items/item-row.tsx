import { Badge } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { frameTexts } from '../../texts/frame.ts'
import { modelsTexts } from '../../texts/models.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row } from '../../ui/row-list.tsx'
import { DeleteRecord, useEditing } from '../forms/record-actions.tsx'
import { RecordDialog } from '../forms/record-dialog.tsx'
import { WarningLines } from '../warning-lines.tsx'
import type { ItemResource } from './item-resources.ts'

interface ItemRowProps<Item> {
  readonly resource: ItemResource<Item>
  readonly item: Item
  readonly warnings: readonly string[]
}

export function ItemRow<Item>({ resource, item, warnings }: ItemRowProps<Item>) {
  const name = resource.nameOf(item)
  const editing = useEditing(name)
  const kind = resource.kindOf(item)
  const path = `${resource.path}/${resource.keyOf(item)}`
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
          <DeleteItem name={name} words={resource.words} path={path} />
        </>
      }
    >
      <WarningLines messages={warnings} />
      {editing.isEdited && (
        <RecordDialog
          title={modelsTexts.editOf(name)}
          fields={resource.fields}
          initial={resource.draftOf(item)}
          action={frameTexts.save}
          changeOf={(draft) => ({ method: 'PUT', path, body: resource.bodyOf(draft) })}
          onDone={editing.close}
        />
      )}
    </Row>
  )
}

type DeletedItem = Pick<ComponentProps<typeof DeleteRecord>, 'name' | 'words' | 'path'>

function DeleteItem(deleted: DeletedItem) {
  const [isAsked, { open, close }] = useDisclosure(false)
  return (
    <>
      <IconButton label={modelsTexts.deleteOf(deleted.name)} color="red" onClick={open}>
        <IconTrash size={16} />
      </IconButton>
      <DeleteRecord {...deleted} isAsked={isAsked} onClose={close}>
        {modelsTexts.items.deleteText}
      </DeleteRecord>
    </>
  )
}
