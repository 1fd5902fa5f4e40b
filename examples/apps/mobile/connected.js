// The scheme is the application's own (RFC 8252 section 7.1); an app link or universal link takes its place where you have one.
const link = `com.example.contacts:/connected?${location.hash.slice(1)}`;
// Some browsers open another application only from a click.
document.getElementById('back').href = link;
history.replaceState(null, '', location.pathname);
location.replace(link);
