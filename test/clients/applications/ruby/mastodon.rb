# Mastodon: what its Paperclip does with aws-sdk-s3, and what anyone sees.
require 'aws-sdk-s3'
require 'net/http'
require 'securerandom'
require 'stringio'

def assert(holds, message = 'not as expected')
  raise message unless holds
end

endpoint, name = ENV.values_at('ENDPOINT', 'BUCKET')
small = SecureRandom.bytes(70_000)
large = SecureRandom.bytes(16 * 1024 * 1024)
resource = Aws::S3::Resource.new(
  endpoint: endpoint, force_path_style: true, region: 'us-east-1', signature_version: 'v4',
  http_open_timeout: 5, http_read_timeout: 60, retry_limit: 0,
  access_key_id: ENV.fetch('ACCESS_KEY'), secret_access_key: ENV.fetch('SECRET_KEY')
)
bucket = resource.bucket(name)
reply = ->(key) { Net::HTTP.get_response(URI("#{endpoint}/#{name}/#{key}")) }
headers = {
  acl: 'public-read', content_type: 'image/png', cache_control: 'public, max-age=315576000, immutable'
}

file = File.open('avatar.png', 'w+b') { |one| one.write(small); one }.path
bucket.object('accounts/avatars/1/original/a.png').upload_file(file, headers)
got = reply.('accounts/avatars/1/original/a.png')
assert got.code == '200' && got.body == small
assert got['cache-control'] == headers[:cache_control] && got['content-type'] == 'image/png'
File.binwrite('video.mp4', large)
video = bucket.object('media_attachments/1/original/b.mp4')
# Above S3_MULTIPART_THRESHOLD.
video.upload_file('video.mp4', acl: 'public-read', content_type: 'video/mp4', multipart_threshold: 15 * 1024 * 1024)
assert reply.('media_attachments/1/original/b.mp4').body == large
assert reply.('').code == '403', 'anyone may list the media'
# A suspended account: its media become private, and public again.
begin
  video.acl.put(acl: 'private')
  assert reply.('media_attachments/1/original/b.mp4').code == '403', 'the media of a suspended account are public'
  video.download_file('video-again.mp4')
  assert File.binread('video-again.mp4') == large
  video.acl.put(acl: 'public-read')
rescue Aws::S3::Errors::NotImplemented
  # The policy of Mastodon's page opens every object, which an ACL cannot limit, as on AWS.
  assert ENV.fetch('APPLICATION') == 'mastodon'
end
assert reply.('media_attachments/1/original/b.mp4').code == '200'
bucket.object('copied').copy_from(video, acl: 'public-read')
assert bucket.object('copied').exists? && !bucket.object('absent').exists?
# Deletion by batches, as its vacuum does.
keys = bucket.objects.map { |one| { key: one.key } }
deleted = bucket.delete_objects(delete: { objects: keys, quiet: false })
assert deleted.deleted.length == 3 && deleted.errors.empty?
