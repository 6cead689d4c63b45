import { Menu } from '@mantine/core'
import {
  IconActivity,
  IconCopy,
  IconDots,
  IconLink,
  IconRefresh,
  IconSettings,
} from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useStatus } from '../../api/service-queries.ts'
import { copyText } from '../../ui/copy/copy-text.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showFailure, showSuccess } from '../../ui/messages.ts'
import { useAction } from '../../ui/use-action.ts'
import { bucketPath } from '../bucket-tabs.tsx'
import { publicAddress } from '../public-address.ts'

const places = [
  { tab: 'settings', label: 'Settings', Icon: IconSettings },
  { tab: 'links', label: 'Links', Icon: IconLink },
  { tab: 'activity', label: 'Activity', Icon: IconActivity },
] as const

/** The pages of a bucket, and what can be done with it. */
export function BucketMenu({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, isPublic, isCounting } = bucket
  const endpoint = useStatus().data?.endpoint
  const { mutate, isPending } = useAction({
    method: 'POST',
    path: `/-/api/buckets/${name}/count`,
    failure: `${name} could not be counted`,
    refreshes: 'buckets',
  })
  const copy = async (text: string) => {
    if (await copyText(text)) showSuccess('Public address copied')
    else showFailure('The browser does not allow copying', text)
  }
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <IconButton label={`More for ${name}`}>
          <IconDots size={16} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {places.map(({ tab, label, Icon }) => (
          <Menu.Item
            key={tab}
            component={Link}
            href={bucketPath(name, tab)}
            leftSection={<Icon size={16} />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {isPublic && endpoint !== undefined && (
          <Menu.Item
            leftSection={<IconCopy size={16} />}
            onClick={() => void copy(publicAddress(endpoint, name))}
          >
            Copy public address
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconRefresh size={16} />}
          disabled={isPending || isCounting}
          onClick={() => mutate()}
        >
          Count again
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
