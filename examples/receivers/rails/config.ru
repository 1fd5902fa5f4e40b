# A Rails application around the controller that runs on its own, with SQLite:
#   EVENT_SECRETS='whsec_…' DATABASE_FILE=inbox.sqlite3 rackup
# In yours, the table comes from a migration and the route stands in config/routes.rb.
require 'action_controller/railtie'
require 'active_record'

$stdout.sync = true
ActiveRecord::Base.establish_connection(adapter: 'sqlite3', database: ENV.fetch('DATABASE_FILE'))
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:inbox_events, id: :string, if_not_exists: true) { |table| table.text(:body, null: false) }
end

class InboxEvent < ActiveRecord::Base
end

class Receiver < Rails::Application
  config.root = __dir__
  config.eager_load = true
  config.logger = Logger.new(nil)
  config.consider_all_requests_local = false
  config.hosts.clear
  config.secret_key_base = 'signs nothing here'
  routes.append { post '/events', to: 'events#create' }
end

Receiver.initialize!
run Receiver
