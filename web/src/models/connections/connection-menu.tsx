import { Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { DeleteRecord } from '../forms/record-actions.tsx'
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
      <MoreMenu name={name} removal="Delete" onRemove={open}>
        <MoveItem connection={connection} ids={ids} by={-1} />
        <MoveItem connection={connection} ids={ids} by={1} />
        <Menu.Divider />
      </MoreMenu>
      <DeleteRecord
        name={name}
        noun="connection"
        path={`/connections/${encodeURIComponent(connection.id)}`}
        isAsked={isAsked}
        onClose={close}
      >
        and its key are removed. Its models are no longer listed.
      </DeleteRecord>
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
