import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp, IconDots, IconTrash } from '@tabler/icons-react'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useRoutingAction } from '../routing-queries.ts'
import { connectionName, movedIds } from './connection-text.ts'

interface ConnectionMenuProps {
  readonly connection: ConnectionAnswer
  readonly ids: readonly string[]
}

/** The less common actions on a connection. */
export function ConnectionMenu({ connection, ids }: ConnectionMenuProps) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const name = connectionName(connection)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`More for ${name}`}
            title={`More for ${name}`}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MoveItem connection={connection} ids={ids} by={-1} />
          <MoveItem connection={connection} ids={ids} by={1} />
          <Menu.Divider />
          <Menu.Item
            color="red"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={open}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteConnection connection={connection} isAsked={isAsked} onClose={close} />
    </>
  )
}

function MoveItem({ connection, ids, by }: ConnectionMenuProps & { readonly by: -1 | 1 }) {
  const { mutate } = useRoutingAction(`${connectionName(connection)} could not be moved`)
  const moved = movedIds(ids, connection.id, by)
  const Icon = by === -1 ? IconArrowUp : IconArrowDown
  return (
    <Menu.Item
      leftSection={<Icon size={16} />}
      disabled={moved === undefined}
      onClick={() => mutate({ method: 'POST', path: '/connections/reorder', body: { ids: moved } })}
    >
      {by === -1 ? 'Move up' : 'Move down'}
    </Menu.Item>
  )
}

interface DeleteConnectionProps {
  readonly connection: ConnectionAnswer
  readonly isAsked: boolean
  readonly onClose: () => void
}

function DeleteConnection({ connection, isAsked, onClose }: DeleteConnectionProps) {
  const name = connectionName(connection)
  const { mutate, isPending } = useRoutingAction(`${name} could not be deleted`)
  const path = `/connections/${encodeURIComponent(connection.id)}`
  return (
    <Confirm
      isOpen={isAsked}
      title="Delete this connection?"
      action="Delete the connection"
      isBusy={isPending}
      onConfirm={() => mutate({ method: 'DELETE', path }, { onSettled: onClose })}
      onClose={onClose}
    >
      <b>{name}</b> and its key are removed. Its models are no longer listed.
    </Confirm>
  )
}
