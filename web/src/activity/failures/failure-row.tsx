import { Badge, Group, Text } from '@mantine/core'
import type { FailureStatus } from '../../../../src/console/management/replies.ts'
import { Age } from '../../ui/age.tsx'
import { Row } from '../../ui/row-list.tsx'
import { failureTarget } from './failure-target.ts'

export function FailureRow({ failure }: { readonly failure: FailureStatus }) {
  const { at, requestId, status, code, reason, remoteAddress } = failure
  return (
    <Row
      title={
        <Group gap="4px 8px">
          <Badge variant="light" color={status >= 500 ? 'red' : 'orange'} tt="none" radius="sm">
            {code === null ? status : `${status} ${code}`}
          </Badge>
          <span>{failureTarget(failure)}</span>
        </Group>
      }
      detail={
        <>
          {reason !== null && (
            <Text fz={13.5} mt={3} mb={1} c="var(--mantine-color-text)">
              {reason}
            </Text>
          )}
          <Age at={at} /> from {remoteAddress}, request <span translate="no">{requestId}</span>
        </>
      }
    />
  )
}
