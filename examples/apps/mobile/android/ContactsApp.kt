// Not run by the tests, which have no Android SDK: app/contacts-app.js is the same and is.
package com.example.contacts

import android.app.Activity
import android.content.Context
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import androidx.browser.customtabs.CustomTabsIntent
import java.net.HttpURLConnection
import java.net.URL
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.json.JSONObject

/** The link that the browser ends on, once it comes. */
internal object Links {
    @Volatile var awaited: CompletableDeferred<Uri>? = null
}

/**
 * In AndroidManifest.xml with android:exported="true", and an intent filter with the action VIEW, the categories DEFAULT and
 * BROWSABLE, and <data android:scheme="com.example.contacts" android:path="/connected" />.
 */
class LinkActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        intent.data?.let { Links.awaited?.complete(it) }
        startActivity(Intent(this, MainActivity::class.java).addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP))
        finish()
    }
}

class Connecting(
    private val gatewayUrl: String,
    private val backendUrl: String,
    /** Asks your backend's /token, with the application's own session. */
    private val userToken: suspend () -> String,
) {
    suspend fun connect(context: Context, provider: String) {
        val wanted = JSONObject().put("provider", provider).put("returnUrl", "$backendUrl/connected")
        val session = post("/v1/connect-sessions", wanted)
        val id = session.getString("id")
        val link = CompletableDeferred<Uri>()
        Links.awaited = link
        // A Custom Tab, which shares the user's sign-ins with the browser. Never a web view of yours.
        CustomTabsIntent.Builder().build().launchUrl(context, Uri.parse(session.getString("url")))
        val outcome = link.await()
        // A link that another application sends belongs to no session of this one.
        check(outcome.getQueryParameter("connect_session") == id) { "not the session that was begun" }
        outcome.getQueryParameter("error")?.let { throw IllegalStateException(it) }
        // Only with the user's own token: the code alone, if another application took the link, connects nothing.
        val code = JSONObject().put("completionCode", outcome.getQueryParameter("completion_code"))
        post("/v1/connect-sessions/$id/complete", code)
    }

    private suspend fun post(path: String, body: JSONObject): JSONObject {
        val token = userToken()
        return withContext(Dispatchers.IO) {
            val call = URL(gatewayUrl + path).openConnection() as HttpURLConnection
            call.requestMethod = "POST"
            call.doOutput = true
            call.setRequestProperty("Content-Type", "application/json")
            call.setRequestProperty("Authorization", "Bearer $token")
            call.outputStream.use { it.write(body.toString().toByteArray()) }
            check(call.responseCode in 200..299) { "$path was answered ${call.responseCode}" }
            JSONObject(call.inputStream.bufferedReader().use { it.readText() })
        }
    }
}
