import { Badge, Group, Text } from '@mantine/core'
import type { ActivityStatus } from '../../../../src/dashboard/management/activity-schemas.ts'
import { Age } from '../../ui/age.tsx'
import { Row } from '../../ui/row-list.tsx'
import { authorText, moreText, requestTarget } from './request-text.ts'

export function RequestRow({ request }: { readonly request: ActivityStatus }) {
  const { at, requestId, isFailure, status, code, reason, remoteAddress, more } = request
  const { operation, target } = requestTarget(request)
  const left = moreText(more)
  return (
    <Row
      title={
        <Group gap="4px 8px">
          <Badge variant="light" color={colorOf(isFailure, status)} tt="none" radius="sm">
            {isFailure && code !== null ? `${status} ${code}` : status}
          </Badge>
          <span>
            {operation} {target}
          </span>
        </Group>
      }
      detail={
        <>
          {reason !== null && (
            <Text fz={13.5} mt={3} mb={1} c="var(--mantine-color-text)">
              {reason}
            </Text>
          )}
          <Age at={at} /> {authorText(request)} from {remoteAddress}, request{' '}
          <span translate="no">{requestId}</span>
          {left !== undefined && <div>{left}</div>}
        </>
      }
    />
  )
}

function colorOf(isFailure: boolean, status: number): string {
  if (!isFailure) return 'gray'
  return status >= 500 ? 'red' : 'orange'
}
