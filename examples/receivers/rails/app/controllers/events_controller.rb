class EventsController < ActionController::API
  TOLERANCE_SECONDS = 5 * 60
  # The newest first; two while you rotate.
  KEYS = ENV.fetch('EVENT_SECRETS').split.map { |secret| Base64.decode64(secret.delete_prefix('whsec_')) }

  def create
    body = request.raw_post # the signature covers the raw body, not `params`
    return head :bad_request unless signed?(body)

    store(request.headers['webhook-id'], body)
    # Rails answers 500 where storing failed, and the gateway sends the event again.
    head :no_content
  end

  private

  def signed?(body)
    id, timestamp, signatures = %w[webhook-id webhook-timestamp webhook-signature].map { |name| request.headers[name].to_s }
    return false if id.empty? || !timestamp.match?(/\A[0-9]{1,12}\z/)
    return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

    content = "#{id}.#{timestamp}.".b + body.b
    expected = KEYS.map { |key| "v1,#{Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', key, content))}" }
    signatures.split.product(expected).any? { |given, one| ActiveSupport::SecurityUtils.secure_compare(given, one) }
  end

  # `id` is the primary key of the table: an event that comes again is no error.
  def store(id, body)
    InboxEvent.create!(id: id, body: body.dup.force_encoding(Encoding::UTF_8))
    $stdout.puts("stored #{id}")
  rescue ActiveRecord::RecordNotUnique
    nil
  end
end
